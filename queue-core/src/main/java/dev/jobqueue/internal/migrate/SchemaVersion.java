package dev.jobqueue.internal.migrate;

/**
 * Which schema it is, as its function {@code schema_version()} says.
 *
 * @param version of the tables
 * @param serves the oldest version whose code works with it
 * @param fingerprint of all files: functions may change without a new version
 */
record SchemaVersion(int version, int serves, String fingerprint) {

    /** A schema without the queue. */
    static final SchemaVersion NONE = new SchemaVersion(0, 0, "");

    /** Whether the files would bring it up to date. */
    boolean isBehind(SchemaFiles files) {
        return version < files.version() || (version == files.version() && !fingerprint.equals(files.fingerprint()));
    }

    /** Whether code that was built with the files works with it. */
    boolean serves(SchemaFiles files) {
        return !isBehind(files) && serves <= files.version();
    }
}
