package dev.jobqueue.autoconfigure.forward.broker;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is sent for a job.
 *
 * @param id the id of the message, which is that of the job
 * @param target the topic or the exchange
 * @param place the topic, or the exchange and routing key: what may take nothing while others do
 * @param key the key or the routing key
 * @param headers all headers but the id and the content type
 * @param contentType what the body is
 * @param body the body; {@code null} for none
 */
@SuppressWarnings("ArrayRecordComponent") // messages are never compared
public record Message(
        UUID id,
        String target,
        String place,
        @Nullable String key,
        Map<String, String> headers,
        @Nullable String contentType,
        byte @Nullable [] body) {}
