module cases/interfaces
