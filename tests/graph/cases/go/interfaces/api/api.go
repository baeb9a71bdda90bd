package api

import "io"

type Reader interface {
	// Read reads.
	Read(n int) ([]byte, error)
	Close() error
}

type Writer interface {
	Write(b []byte)
}

type Both interface {
	Reader
	Writer
	io.Seeker
}

type hidden interface{ secret() }

func Use(r Reader, b Both, h hidden) {
	r.Read(1)  // -> call Reader.Read, override interfaces/impl/impl.go::File.Read, override interfaces/impl/impl.go::Base.Read
	r.Close()  // -> call Reader.Close, override interfaces/impl/impl.go::Base.Close
	b.Write(nil) // -> call Writer.Write, override interfaces/impl/impl.go::Base.Write
	b.Seek(0, 0) // -> call <external>io.Seeker.Seek
	h.secret() // -> call hidden.secret
	var e interface{ Far() } = nil
	e.Far() // -> nothing
}

type Holder struct {
	Reader
	w []Writer
}

func (h Holder) Go() {
	h.Close() // -> call Reader.Close, override interfaces/impl/impl.go::Base.Close
	for _, w := range h.w {
		w.Write(nil) // -> call Writer.Write, override interfaces/impl/impl.go::Base.Write
	}
}
