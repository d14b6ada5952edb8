#[cfg(test)]
mod tests {
    #[test]
    fn fails() {
        assert_eq!(1 + 1, 3, "sum");
    }
    #[test]
    fn ok() {}
}
