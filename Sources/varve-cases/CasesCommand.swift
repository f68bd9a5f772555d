@main enum CasesCommand { static func main() {} }
