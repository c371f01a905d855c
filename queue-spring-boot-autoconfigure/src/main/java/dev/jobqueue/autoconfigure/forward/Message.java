package dev.jobqueue.autoconfigure.forward;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is sent for a job.
 *
 * @param id the id of the message, which is that of the job
 * @param target the topic or the exchange
 * @param key the key or the routing key
 * @param headers all headers but the id and the content type
 * @param contentType what the body is
 * @param body the body; {@code null} for none
 * @param lane which messages it keeps in order with; {@code null} for none
 */
@SuppressWarnings("ArrayRecordComponent") // messages are never compared
record Message(
        UUID id,
        String target,
        @Nullable String key,
        Map<String, String> headers,
        @Nullable String contentType,
        byte @Nullable [] body,
        @Nullable String lane) {}
