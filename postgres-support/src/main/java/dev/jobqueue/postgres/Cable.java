package dev.jobqueue.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The way to a server, which can be cut, and which can go dead: then it is open, but nothing passes. */
public final class Cable implements AutoCloseable {

    private static final int USUAL_PORT = 5432;

    private final String host;
    private final int port;
    private final ServerSocket entrance;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private volatile boolean refuses;
    private volatile boolean losesQuestions;
    private volatile boolean losesAnswers;
    private volatile boolean stalls;

    private Cable(String host, int port) throws IOException {
        this.host = host;
        this.port = port;
        this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        thread(this::accept);
    }

    public static Cable to(TestDatabase database) throws IOException {
        URI target = uri(database);
        return new Cable(target.getHost(), target.getPort() < 0 ? USUAL_PORT : target.getPort());
    }

    public static Cable to(String host, int port) throws IOException {
        return new Cable(host, port);
    }

    private static URI uri(TestDatabase database) {
        return URI.create(database.jdbcUrl().substring("jdbc:".length()));
    }

    /** {@return where it begins, on the loopback interface} */
    public int port() {
        return entrance.getLocalPort();
    }

    /** {@return the address of the database, by this cable} */
    public String jdbcUrl(TestDatabase database) {
        return "jdbc:postgresql://localhost:" + port() + uri(database).getPath();
    }

    /** Nothing passes any more, and no connection is closed either. */
    public void goDead() {
        losesQuestions = true;
        losesAnswers = true;
    }

    /** The server hears everything, and nothing is heard of the server. */
    public void loseAnswers() {
        losesAnswers = true;
    }

    /** The server reads nothing any more, so that clients cannot write for long. */
    public void stall() {
        stalls = true;
    }

    /** What is connected breaks, and nobody connects any more. */
    public void cut() {
        refuses = true;
        disconnect();
    }

    /** What was connected breaks, as after a long outage; new connections pass. */
    public void repair() {
        disconnect();
        synchronized (this) {
            stalls = false;
            notifyAll();
        }
        losesQuestions = false;
        losesAnswers = false;
        refuses = false;
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        cut();
    }

    private void disconnect() {
        for (Socket socket = sockets.poll(); socket != null; socket = sockets.poll()) {
            close(socket);
        }
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                Socket client = entrance.accept();
                if (refuses) {
                    client.close();
                    continue;
                }
                Socket server = new Socket(host, port);
                sockets.add(client);
                sockets.add(server);
                thread(() -> pass(client, server, true));
                thread(() -> pass(server, client, false));
            } catch (IOException ex) {
                // closed, or the server is: whoever connects will notice
            }
        }
    }

    private void pass(Socket from, Socket to, boolean questions) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                if (questions) {
                    awaitFlow();
                }
                if (!(questions ? losesQuestions : losesAnswers)) {
                    out.write(bytes, 0, length);
                }
            }
        } catch (IOException | InterruptedException ex) {
            // one side is gone
        }
        close(from);
        close(to);
    }

    private synchronized void awaitFlow() throws InterruptedException {
        while (stalls) {
            wait();
        }
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
