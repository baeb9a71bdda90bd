"""The method, without a browser and without a database.

The packages stand in the order data flows through them; each imports only those to its left.

    trajectory file
      -> trajectory   typed steps, one parser a wire format
      -> replay       the repository states w_t, and how faithful they are
      -> graph        the code graph Phi(t) = (V_t, E_t, b_t), updated per write      (Eq. 5)
      -> records      the held context C_t as records (text, referent, born)
      -> tape         what each write drifted, and the records it nominates           (Eq. 6, 7, 10)
      -> context      actions on nominated records, and the context they leave        (Eq. 8)
      -> tracebench   decision points, gold regions, held against needed              (section 3.1)
      -> harness      the project's state: records, signals, change impact, brief     (StateHarness)
      -> pipeline     analyse(): the only place that wires the stages together

``core`` reads no database, draws nothing, opens no socket and starts no process. Files that touch
the disk say EDGE in their docstring. There is no clock and no randomness in here.
"""
