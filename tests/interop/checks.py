"""What the Python clients of make interop share: one line per check, and the line that says that all were made."""


class Checks:
    """Prints `ok` or `FAILED` for each check of a client."""

    def __init__(self, client):
        self.client = client

    def equal(self, what, wanted, got):
        if got == wanted:
            print(f"ok      {self.client}: {what}", flush=True)
        else:
            print(f"FAILED  {self.client}: {what}: wanted {wanted!r}, got {got!r}", flush=True)

    def run(self, what, wanted, question):
        """A question that may fail in a way of its own."""
        try:
            got = question()
        except Exception as error:  # noqa: BLE001 - whatever a driver raises is the finding
            got = f"{type(error).__name__}: {error}"
        self.equal(what, wanted, got)

    def refused(self, what, parts, question):
        """An error whose text holds every part."""
        try:
            got = f"no error but {question()!r}"
        except Exception as error:  # noqa: BLE001
            text = f"{type(error).__name__}: {error}"
            got = parts if all(part in text for part in parts) else text
        self.equal(what, parts, got)

    def end(self):
        print("end", flush=True)
