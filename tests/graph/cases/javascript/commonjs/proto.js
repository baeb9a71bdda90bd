const app = (exports = module.exports = {});
app.init = function init() {};
app.use = function use() {
  this.init(); // -> call app.init
};
