package dev.jobqueue.internal.handle;

import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.extend.Extensions;

/**
 * What all parts of the queue share in one application.
 *
 * @param database where the queue is stored
 * @param handlers the handlers of the application; filled before the first job is claimed
 * @param json reads and writes payloads and results
 * @param extensions the meters, listeners and interceptors of the application
 */
public record Application(Database database, HandlerRegistry handlers, Json json, Extensions extensions) {}
