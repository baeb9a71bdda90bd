const mixin = require("merge-descriptors");
const proto = require("./proto");
exports = module.exports = create;
function create() {
  const app = function (req) { app.use(); }; // -> call commonjs/proto.js::app.use
  mixin(app, proto, false); // -> call <external>merge-descriptors
  return app;
}
exports.later = function () {};
