mod area;

pub struct Shape {
    pub side: u8,
}

impl Shape {
    pub fn side(&self) -> u8 {
        self.area() + Self::unit().side // -> call methods/shape/area.rs::Shape.area, call Shape.unit
    }

    fn unit() -> Self {
        Self::default() // -> call <external>std.default
    }
}

impl From<u8> for Shape {
    fn from(side: u8) -> Self {
        Shape { side } // -> constructor Shape
    }
}

impl From<u16> for Shape {
    fn from(side: u16) -> Self {
        Shape::from(1) // -> possible call Shape.from, possible call Shape.from#2
    }
}
