plugins {
    `java-library`
}

description = "Pages to look at the jobs of an application and to act on them, served by the application itself"

dependencies {
    api(project(":queue-spring-boot-autoconfigure"))
    api(libs.jspecify)
    compileOnly(libs.spring.boot.webmvc)
    compileOnly(libs.jakarta.servlet.api)
    compileOnly(libs.spring.security.core)
    compileOnly(libs.spring.security.web)
    compileOnly(libs.lit.html) {
        exclude(group = "org.webjars.npm")
    }

    annotationProcessor(libs.spring.boot.configuration.processor)
    annotationProcessor(libs.spring.boot.autoconfigure.processor)
    testAnnotationProcessor(libs.spring.boot.configuration.processor)
    testAnnotationProcessor(libs.spring.boot.autoconfigure.processor)

    testImplementation(project(":postgres-support"))
    testImplementation(libs.spring.boot.webmvc)
    testImplementation(libs.jakarta.servlet.api)
    testImplementation(libs.spring.security.core)
    testImplementation(libs.spring.security.web)
    testImplementation(libs.spring.boot.starter.jdbc)
    testImplementation(libs.spring.boot.starter.jackson)
    testImplementation(libs.spring.boot.starter.webmvc)
    testImplementation(libs.spring.boot.starter.security)
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.spring.webflux)
    testImplementation(libs.playwright)
    testImplementation(libs.axe.core.playwright)
    testImplementation(libs.archunit.junit5)
    testRuntimeOnly(libs.junit.platform.launcher)
}

tasks.jar {
    manifest {
        // The dashboard tells its version.
        attributes("Implementation-Version" to project.version)
    }
}

// One file of the WebJar is among our assets; its licence goes along.
tasks.processResources {
    from({ configurations.compileClasspath.get().filter { it.name.startsWith("lit-html-") }.map { zipTree(it) } }) {
        include("META-INF/resources/webjars/lit-html/*/lit-html.js", "META-INF/resources/webjars/lit-html/*/LICENSE")
        eachFile {
            path =
                if (name == "LICENSE") "META-INF/licenses/lit-html/LICENSE" else "dev/jobqueue/dashboard/assets/$name"
        }
        includeEmptyDirs = false
    }
}
