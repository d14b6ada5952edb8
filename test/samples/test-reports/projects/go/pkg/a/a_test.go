package a

import (
	"fmt"
	"testing"
)

func TestFail(t *testing.T) {
	t.Errorf("got %d", 2)
}
func TestOk(t *testing.T)   { fmt.Println("printed") }
func TestSub(t *testing.T)  { t.Run("x", func(t *testing.T) { t.Fatal("sub") }) }
func TestSkip(t *testing.T) { t.Skip("no") }
