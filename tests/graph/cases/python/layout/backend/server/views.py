from server.models import Model


def view():
    Model().save()  # -> call backend/server/models.py::Model.save, constructor backend/server/models.py::Model
