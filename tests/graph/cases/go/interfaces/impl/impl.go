package impl

import "cases/interfaces/api"

type Base struct{}

func (b *Base) Read(n int) ([]byte, error) { return nil, nil }
func (b *Base) Close() error               { return nil }
func (b *Base) Write(p []byte)             {}
func (b *Base) secret()                    {}

type File struct{ Base }

func (f *File) Read(n int) ([]byte, error) { return f.Base.Read(n) } // -> call Base.Read

type Wrong struct{}

func (w Wrong) Read(s string) ([]byte, error) { return nil, nil }
func (w Wrong) Close() error                  { return nil }
func (w Wrong) Write(s string)                {}

func Run() {
	api.Use(&File{}, nil, nil) // -> call interfaces/api/api.go::Use, constructor File
	var r api.Reader = &Base{} // -> constructor Base
	r.Close()                  // -> call interfaces/api/api.go::Reader.Close, override Base.Close
}
