package dev.jobqueue.autoconfigure.health;

import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The way to a database, which can go dead: then nothing passes any more, and no connection is closed either. */
final class Cable implements AutoCloseable {

    private final URI target;
    private final ServerSocket entrance;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private volatile boolean dead;

    private Cable(TestDatabase database) throws IOException {
        this.target = URI.create(database.jdbcUrl().substring("jdbc:".length()));
        this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        thread(this::accept);
    }

    static Cable to(TestDatabase database) throws IOException {
        return new Cable(database);
    }

    String jdbcUrl() {
        return "jdbc:postgresql://localhost:" + entrance.getLocalPort() + target.getPath();
    }

    void goDead() {
        dead = true;
    }

    /** What was connected breaks, as after a long outage; new connections pass. */
    void repair() {
        dead = false;
        for (Socket socket = sockets.poll(); socket != null; socket = sockets.poll()) {
            close(socket);
        }
    }

    /** What was connected breaks, and nobody connects any more. */
    void cut() throws IOException {
        entrance.close();
        repair();
    }

    @Override
    public void close() throws IOException {
        cut();
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                Socket client = entrance.accept();
                Socket server = new Socket(target.getHost(), target.getPort() < 0 ? 5432 : target.getPort());
                sockets.add(client);
                sockets.add(server);
                thread(() -> pass(client, server));
                thread(() -> pass(server, client));
            } catch (IOException ex) {
                // closed, or the server is: whoever connects will notice
            }
        }
    }

    private void pass(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                if (!dead) {
                    out.write(bytes, 0, length);
                }
            }
        } catch (IOException ex) {
            // one side is gone
        }
        close(from);
        close(to);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException ex) {
            // gone already
        }
    }

    private static void thread(Runnable task) {
        Thread thread = new Thread(task, "cable");
        thread.setDaemon(true);
        thread.start();
    }
}
