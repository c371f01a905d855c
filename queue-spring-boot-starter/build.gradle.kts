plugins {
    `java-library`
}

description = "Starter for the job queue"

dependencies {
    api(project(":queue-spring-boot-autoconfigure"))
    api(libs.spring.boot.starter.jdbc)
    api(libs.spring.boot.starter.jackson)
}

tasks.jar {
    manifest {
        attributes("Spring-Boot-Jar-Type" to "dependencies-starter")
    }
}
