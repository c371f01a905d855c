plugins {
    `java-library`
}

description = "Tests for applications on the job queue: run the jobs, move the time, see what was published"

dependencies {
    api(project(":queue-spring-boot-autoconfigure"))
    api(libs.spring.boot.starter.test)
    api(libs.jspecify)
    compileOnly(libs.spring.orm)
    compileOnly(libs.jakarta.persistence.api)
    compileOnly(libs.embedded.postgres) {
        exclude(group = "io.zonky.test.postgres")
    }
    compileOnly(libs.testcontainers.postgresql)

    testImplementation(project(":postgres-support"))
    testImplementation(libs.spring.orm)
    testImplementation(libs.jakarta.persistence.api)
    testImplementation(libs.embedded.postgres) {
        exclude(group = "io.zonky.test.postgres")
    }
    testImplementation(libs.testcontainers.postgresql)
    testImplementation(libs.spring.boot.starter.jdbc)
    testImplementation(libs.spring.boot.starter.jackson)
    testImplementation(libs.spring.boot.starter.data.jpa)
    testImplementation(libs.spring.boot.starter.jdbc.test)
    testImplementation(libs.spring.boot.starter.data.jpa.test)
    testImplementation(libs.archunit.junit5)
    testImplementation(libs.junit.platform.launcher)
}
