package dev.jobqueue.internal.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.copy.CopyIn;

/** Jobs in the binary format of COPY. */
final class JobCopy {

    private static final int CHUNK_BYTES = 32_768;
    private static final byte[] SIGNATURE = "PGCOPY\n\u00ff\r\n\0".getBytes(StandardCharsets.ISO_8859_1);

    /** Of the binary form of {@code jsonb}, which is the text behind it. */
    private static final byte JSONB_VERSION = 1;

    /** What a row has beside its texts: the number of columns, the size of each, id, priority and the version of jsonb. */
    private static final int FIXED_BYTES =
            Short.BYTES + 6 * Integer.BYTES + 2 * Long.BYTES + Integer.BYTES + Byte.BYTES;

    /** In place of a size. */
    private static final int NULL = -1;

    private static final byte[] NOTHING = {};

    private final CopyIn copy;
    private ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);

    private JobCopy(CopyIn copy) {
        this.copy = copy;
    }

    /**
     * Sends id, type and payload of each job.
     *
     * @param isWhole whether queue, priority and headers too
     */
    static void write(List<NewJob> jobs, boolean isWhole, CopyIn copy) throws SQLException {
        JobCopy rows = new JobCopy(copy);
        rows.chunk.put(SIGNATURE).putLong(0); // neither flags nor an extension
        for (NewJob job : jobs) {
            rows.add(job, isWhole);
        }
        rows.makeRoom(Short.BYTES);
        rows.chunk.putShort((short) -1); // no more rows
        rows.send();
    }

    private void add(NewJob job, boolean isWhole) throws SQLException {
        byte[] type = bytes(job.type());
        byte[] payload = bytes(job.payload());
        byte[] queue = isWhole ? bytes(job.queueName()) : NOTHING;
        byte[] headers = job.headers() == null ? NOTHING : bytes(job.headers());
        makeRoom(FIXED_BYTES + type.length + payload.length + queue.length + headers.length);
        chunk.putShort((short) (isWhole ? 6 : 3));
        chunk.putInt(2 * Long.BYTES)
                .putLong(job.id().getMostSignificantBits())
                .putLong(job.id().getLeastSignificantBits());
        chunk.putInt(type.length).put(type);
        chunk.putInt(payload.length).put(payload);
        if (isWhole) {
            chunk.putInt(queue.length).put(queue);
            chunk.putInt(Integer.BYTES).putInt(job.priority());
            if (job.headers() == null) {
                chunk.putInt(NULL);
            } else {
                chunk.putInt(Byte.BYTES + headers.length).put(JSONB_VERSION).put(headers);
            }
        }
    }

    private void makeRoom(int bytes) throws SQLException {
        if (bytes > chunk.remaining()) {
            send();
        }
        if (bytes > chunk.capacity()) {
            chunk = ByteBuffer.allocate(bytes);
        }
    }

    private void send() throws SQLException {
        copy.writeToCopy(chunk.array(), 0, chunk.position());
        chunk.clear();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
