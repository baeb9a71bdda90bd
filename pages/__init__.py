"""One page a question. A page loads rows, lets the reader choose, and draws; each is a script for st.navigation."""
