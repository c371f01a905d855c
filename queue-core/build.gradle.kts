plugins {
    `java-library`
}

description = "The job queue: schema, publishing and handling, free of Spring Boot"

dependencies {
    api(libs.spring.jdbc)
    api(libs.spring.context)
    api(libs.jackson.databind)
    api(libs.postgresql)
    api(libs.slf4j.api)
    api(libs.jspecify)
    compileOnly(libs.checker.qual) // the driver's classes carry its annotations

    testImplementation(project(":postgres-support"))
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.archunit.junit5)
    testRuntimeOnly(libs.junit.platform.launcher)
}

tasks.jar {
    manifest {
        // Prints the schema as a script: java -jar queue-core.jar [schema]
        attributes("Main-Class" to "dev.jobqueue.internal.migrate.SchemaScript")
    }
}
