package dev.jobqueue.benchmarks.subject;

import dev.jobqueue.JobType;
import java.util.Random;

/** The payload of all jobs: about a hundred bytes of JSON, or more where the subject line is longer. */
@JobType("work")
record Work(long id, String to, String subject, boolean again) {

    static final String SUBJECT = "Your order has been shipped";

    static Work of(long id) {
        return of(id, SUBJECT);
    }

    static Work of(long id, String subject) {
        return new Work(id, "user" + id + "@example.org", subject, false);
    }

    /** A subject line for payloads of about so many bytes: random letters, so that the server cannot compress them. */
    static String subject(int payloadBytes) {
        Random random = new Random(7);
        StringBuilder text = new StringBuilder(SUBJECT);
        for (int length = of(0).json().length(); length < payloadBytes; length++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    String json() {
        return "{\"id\":" + id + ",\"to\":\"" + to + "\",\"subject\":\"" + subject + "\",\"again\":" + again + "}";
    }
}
