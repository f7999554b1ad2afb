module lever.example/lever

go 1.19
