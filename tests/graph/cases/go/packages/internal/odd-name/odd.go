package even

// Do does.
func Do() {}
