package shapes;

interface Shape {
    double area();

    default String show() {
        return name() + area(); // -> call Shape.name, call Shape.area, override Circle.area, override Square.area, override Square.use
    }

    private String name() {
        return "shape";
    }

    static Shape unit() {
        return new Square(1); // -> constructor Square, call Square.Square
    }
}

abstract class Base implements Shape {
    protected final String label;

    Base(String label) {
        this.label = label;
    }

    abstract void draw();

    void redraw() {
        draw(); // -> call Base.draw, override Circle.draw, override Square.draw, override Square.use
        this.draw(); // -> call Base.draw, override Circle.draw, override Square.draw, override Square.use
        area(); // -> call Shape.area, override Circle.area, override Square.area, override Square.use
        reset(); // -> call Base.reset
        toString(); // -> call Base.toString, override Square.toString
        hashCode(); // -> call <external>java.lang.Object.hashCode
    }

    private void reset() {}

    public String toString() {
        return super.toString(); // -> call <external>java.lang.Object.toString
    }
}

class Circle extends Base {
    Circle() {
        super("circle"); // -> call Base.Base
        redraw(); // -> call Base.redraw
    }

    public double area() {
        return 3;
    }

    void draw() {
        Shape.super.show(); // -> call Shape.show
        super.redraw(); // -> call Base.redraw
    }
}

class Square extends Base {
    Square(int side) {
        super("square"); // -> call Base.Base
    }

    public double area() {
        return 1;
    }

    void draw() {}

    @Override
    public String toString() {
        return super.toString() + label.length(); // -> call Base.toString, call <external>java.lang.String.length
    }

    void use(Circle c, Shape s, Base b) {
        c.area(); // -> call Circle.area
        s.area(); // -> call Shape.area, override Circle.area, override Square.area, override Square.use
        c.redraw(); // -> call Base.redraw
        b.show(); // -> call Shape.show
        new Circle().draw(); // -> constructor Circle, call Circle.Circle, call Circle.draw
        s = new Base("other") { // -> constructor Base, call Base.Base
            public double area() {
                draw(); // -> call Square.use
                use(null, s, this); // -> call Square.use
                return count(); // -> call Square.count
            }

            void draw() {}
        };
    }

    int count() {
        return 1;
    }
}

class Outer {
    private int value() {
        return 1;
    }

    class Inner {
        int get() {
            return value() + Outer.this.value(); // -> call Outer.value
        }

        class Deep extends Circle {
            void go() {
                get(); // -> call Outer.Inner.get
                area(); // -> call Circle.area
            }
        }
    }

    static {
        new Outer().new Inner().get(); // -> constructor Outer, constructor Outer.Inner, call Outer.Inner.get
    }

    {
        value(); // -> call Outer.value
    }
}

class Plain extends Base2 {
    Plain() {} // -> call Base2.Base2
}

class Base2 {
    Base2() {}

    Base2(int n) {}
}

class Child extends Plain {}

class Makes {
    Child child = new Child(); // -> constructor Child, call Plain.Plain
}

enum Op implements Runnable {
    ADD(1) { // -> constructor Op, call Op.Op
        int apply(int a) {
            return a + helper(); // -> call Op.helper
        }
    },
    SUB(2); // -> constructor Op, call Op.Op

    Op(int n) {}

    int apply(int a) {
        return a;
    }

    static int helper() {
        return 1;
    }

    public void run() {
        ADD.apply(1); // -> call Op.apply, override Op
        for (Op op : values()) { // -> call <external>java.lang.Enum.values
            op.apply(2); // -> call Op.apply, override Op
            op.name().length(); // -> call <external>java.lang.Enum.name, call <external>java.lang.String.length
        }
    }
}

record Point(int x, Shape shape) {
    Point {
        check(x); // -> call Point.check
    }

    Point(int x) {
        this(x, null); // -> call Point.Point
    }

    static void check(int x) {}

    int twice() {
        return x() + shape().hashCode(); // -> property Point, call <external>java.lang.Object.hashCode
    }
}

class Uses {
    void go(Point p) {
        p.x(); // -> property Point
        p.shape().show(); // -> property Point, call Shape.show
        new Point(1).twice(); // -> constructor Point, call Point.Point#2, call Point.twice
    }
}

abstract class Task implements Runnable {
    void start() {
        run(); // -> call <external>java.lang.Runnable.run, override Job.run
        this.run(); // -> call <external>java.lang.Runnable.run, override Job.run
        hashCode(); // -> call <external>java.lang.Object.hashCode, override Job.hashCode
        super.hashCode(); // -> call <external>java.lang.Object.hashCode
    }
}

class Job extends Task {
    public void run() {}

    void run(int times) {}

    public int hashCode() {
        return 1;
    }
}
