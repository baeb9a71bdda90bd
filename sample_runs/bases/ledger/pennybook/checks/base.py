"""What every check does."""


class Check:
    """Looks at each transaction; a subclass says what is wrong with one."""

    name = ""

    def run(self, ledger):
        """All complaints about a ledger."""
        complaints = []
        for transaction in ledger.transactions:
            for complaint in self.transaction(transaction):
                complaints.append(f"{transaction.date} {transaction.payee}: {complaint}")
        return complaints

    def transaction(self, transaction):
        """Complaints about one transaction."""
        return []
