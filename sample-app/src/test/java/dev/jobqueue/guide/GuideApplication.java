package dev.jobqueue.guide;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application that the examples belong to. */
@SpringBootApplication
class GuideApplication {}
