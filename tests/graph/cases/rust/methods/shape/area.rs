use super::Shape;

impl Shape {
    pub fn area(&self) -> u8 {
        self.side() // -> call methods/shape.rs::Shape.side
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it() {
        let shape = Shape { side: 1 }; // -> constructor methods/shape.rs::Shape
        assert_eq!(shape.area(), 1); // -> call Shape.area
    }
}
