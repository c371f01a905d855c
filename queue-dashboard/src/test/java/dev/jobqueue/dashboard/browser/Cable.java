package dev.jobqueue.dashboard.browser;

import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The way to a database, which can be cut: then what is connected breaks, and nobody connects any more. */
final class Cable implements AutoCloseable {

    private final URI target;
    private final ServerSocket entrance;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private volatile boolean isCut;

    Cable(TestDatabase database) throws IOException {
        this.target = URI.create(database.jdbcUrl().substring("jdbc:".length()));
        this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        thread(this::accept);
    }

    String jdbcUrl() {
        return "jdbc:postgresql://localhost:" + entrance.getLocalPort() + target.getPath();
    }

    void cut() {
        isCut = true;
        for (Socket socket = sockets.poll(); socket != null; socket = sockets.poll()) {
            close(socket);
        }
    }

    void repair() {
        isCut = false;
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        cut();
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                Socket client = entrance.accept();
                if (isCut) {
                    client.close();
                    continue;
                }
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

    private static void pass(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
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
