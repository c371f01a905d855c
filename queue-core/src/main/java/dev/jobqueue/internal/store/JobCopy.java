package dev.jobqueue.internal.store;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.copy.CopyIn;

/** Jobs in the binary format of COPY. */
final class JobCopy {

    private static final int CHUNK_BYTES = 32_768;
    private static final byte[] SIGNATURE = "PGCOPY\n\u00ff\r\n\0".getBytes(StandardCharsets.ISO_8859_1);
    private static final int COLUMNS = 6; // id, type, payload, queue, priority, headers

    /** Of the binary form of {@code jsonb}, which is the text behind it. */
    private static final int JSONB_VERSION = 1;

    private JobCopy() {}

    static void write(List<NewJob> jobs, CopyIn copy) throws SQLException {
        ByteArrayOutputStream chunk = new ByteArrayOutputStream(2 * CHUNK_BYTES);
        DataOutputStream out = new DataOutputStream(chunk);
        try {
            out.write(SIGNATURE);
            out.writeLong(0); // neither flags nor an extension
            for (NewJob job : jobs) {
                write(job, out);
                if (chunk.size() >= CHUNK_BYTES) {
                    send(chunk, copy);
                }
            }
            out.writeShort(-1); // no more rows
            send(chunk, copy);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static void send(ByteArrayOutputStream chunk, CopyIn copy) throws SQLException {
        copy.writeToCopy(chunk.toByteArray(), 0, chunk.size());
        chunk.reset();
    }

    private static void write(NewJob job, DataOutputStream out) throws IOException {
        out.writeShort(COLUMNS);
        out.writeInt(2 * Long.BYTES);
        out.writeLong(job.id().getMostSignificantBits());
        out.writeLong(job.id().getLeastSignificantBits());
        write(job.type(), out);
        write(job.payload(), out);
        write(job.queueName(), out);
        out.writeInt(Integer.BYTES);
        out.writeInt(job.priority());
        byte[] headers = job.headersOrNone().getBytes(StandardCharsets.UTF_8);
        out.writeInt(1 + headers.length);
        out.writeByte(JSONB_VERSION);
        out.write(headers);
    }

    private static void write(String text, DataOutputStream out) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
