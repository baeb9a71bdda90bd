function plain() {}
class Tool { go() {} }
exports.named = function () { plain(); }; // -> call plain
exports.plain = plain;
module.exports.Tool = Tool;
