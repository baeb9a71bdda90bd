module.exports = function make() {};
module.exports.extra = () => {};
