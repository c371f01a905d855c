plugins {
    alias(libs.plugins.spotless)
    alias(libs.plugins.spring.boot) apply false
}

val published = mapOf(
    "queue-core" to "Queue Core",
    "queue-spring-boot-autoconfigure" to "Queue Spring Boot Autoconfigure",
    "queue-spring-boot-starter" to "Queue Spring Boot Starter",
    "queue-dashboard" to "Queue Dashboard",
    "queue-test" to "Queue Test",
)

// The PostgreSQL of the tests: -Dpostgres.version=15|16|17|18
val postgresVersion = providers.systemProperty("postgres.version").getOrElse("18")
val postgresBinaries = when (postgresVersion) {
    "15" -> libs.versions.postgres15
    "16" -> libs.versions.postgres16
    "17" -> libs.versions.postgres17
    "18" -> libs.versions.postgres18
    else -> error("postgres.version '$postgresVersion' must be one of 15, 16, 17, 18")
}.get()
val testServer = providers.environmentVariable("QUEUE_TEST_JDBC_URL").orElse("")
val logbackConfiguration = layout.projectDirectory.file("config/logback-test.xml").asFile

allprojects {
    group = "dev.jobqueue"
    version = "0.1.0-SNAPSHOT"

    apply(plugin = "com.diffplug.spotless")

    configure<com.diffplug.gradle.spotless.SpotlessExtension> {
        java {
            target("src/*/java/**/*.java")
            palantirJavaFormat(rootProject.libs.versions.palantir.java.format.get())
        }
        format("text") {
            target("*.kts", "*.md", "docs/**/*.md", "src/**/*.sql", "src/**/*.yml")
            trimTrailingWhitespace()
            endWithNewline()
        }
    }
}

subprojects {
    apply(plugin = "java-library")

    configure<JavaPluginExtension> {
        if (project.name in published) {
            withSourcesJar()
            withJavadocJar()
        }
    }

    // For our own class paths alone: in the published metadata it would raise the Spring Boot of an application.
    val managed = configurations.create("managed") {
        isCanBeConsumed = false
        isCanBeResolved = false
    }
    configurations.matching { it.name.endsWith("Classpath") }.configureEach { extendsFrom(managed) }

    dependencies {
        "managed"(platform(rootProject.libs.spring.boot.dependencies))
        "annotationProcessor"(rootProject.libs.error.prone.core)
        "annotationProcessor"(rootProject.libs.nullaway)
        "testAnnotationProcessor"(rootProject.libs.error.prone.core)
        "testAnnotationProcessor"(rootProject.libs.nullaway)
    }

    configurations.configureEach {
        resolutionStrategy.eachDependency {
            if (requested.group == "io.zonky.test.postgres") {
                useVersion(postgresBinaries)
            }
        }
    }

    tasks.withType<JavaCompile>().configureEach {
        options.release = 17
        options.encoding = "UTF-8"
        if (name.startsWith("compileAot")) {
            return@configureEach // generated
        }
        val nullAway = if (name == "compileJava") {
            "-Xep:NullAway:ERROR -XepOpt:NullAway:OnlyNullMarked=true"
        } else {
            "-Xep:NullAway:OFF" // tests hand null to code that must refuse it
        }
        options.compilerArgs.addAll(
            listOf(
                "-parameters",
                "-Xlint:all,-processing",
                "-Werror",
                "-XDcompilePolicy=simple",
                "--should-stop=ifError=FLOW",
                "-XDaddTypeAnnotationsToSymbol=true",
                "-Xplugin:ErrorProne $nullAway",
            ),
        )
        // Error Prone reads the compiler's internals.
        options.isFork = true
        options.forkOptions.jvmArgs =
            listOf("api", "file", "main", "model", "parser", "processing", "tree", "util").map {
                "--add-exports=jdk.compiler/com.sun.tools.javac.$it=ALL-UNNAMED"
            } + listOf("code", "comp").map {
                "--add-opens=jdk.compiler/com.sun.tools.javac.$it=ALL-UNNAMED"
            }
    }

    tasks.withType<Javadoc>().configureEach {
        exclude("**/internal/**")
        (options as StandardJavadocDocletOptions).apply {
            addBooleanOption("Xdoclint:all", true)
            addBooleanOption("Werror", true)
        }
    }

    tasks.withType<Test>().configureEach {
        useJUnitPlatform()
        include("**/*Tests.class")
        maxParallelForks = 4
        jvmArgs("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
        systemProperty("postgres.version", postgresVersion)
        inputs.file(logbackConfiguration).withPathSensitivity(PathSensitivity.NONE)
        inputs.property("given server", testServer)
        systemProperty("logback.configurationFile", logbackConfiguration.path)
        systemProperty("logging.config", logbackConfiguration.path)
    }

    if (project.name in published) {
        apply(plugin = "maven-publish")

        configure<PublishingExtension> {
            publications {
                create<MavenPublication>("maven") {
                    from(components["java"])
                    versionMapping {
                        usage("java-api") { fromResolutionOf("runtimeClasspath") }
                        usage("java-runtime") { fromResolutionResult() }
                    }
                    pom {
                        name = published.getValue(project.name)
                        description = provider { project.description } // the module's script has yet to set it
                        url = "https://jobqueue.dev"
                        licenses {
                            license {
                                name = "Apache License, Version 2.0"
                                url = "https://www.apache.org/licenses/LICENSE-2.0"
                            }
                        }
                        developers {
                            developer {
                                name = "The jobqueue.dev authors"
                            }
                        }
                        scm {
                            url = "https://jobqueue.dev"
                        }
                    }
                }
            }
        }
    }
}
