package dev.jobqueue.survival.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The wire between one node and the database; it can be cut, and it can go dead without anybody being told. */
public final class Proxy implements AutoCloseable {

    private final int target;
    private final ServerSocket entrance;
    private final Set<Line> lines = ConcurrentHashMap.newKeySet();
    private volatile boolean dead;

    Proxy(int target) {
        this.target = target;
        try {
            this.entrance = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        thread(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    /** Breaks all connections; new ones pass. */
    public void cut() {
        lines.forEach(line -> {
            close(line.client);
            close(line.server);
        });
    }

    /** From now on every byte is swallowed, on connections of now and later, and none is closed. */
    public void goDead() {
        dead = true;
        lines.forEach(line -> line.dead = true);
    }

    /**
     * New connections pass. The old ones stay dead: the server gets to know, as its keepalive would tell it, but the
     * node does not.
     */
    public void heal() {
        dead = false;
        lines.stream().filter(line -> line.dead).forEach(line -> close(line.server));
    }

    @Override
    public void close() {
        try {
            entrance.close();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        cut();
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                Socket client = entrance.accept();
                thread(() -> connect(client));
            } catch (IOException ex) {
                // closed
            }
        }
    }

    private void connect(Socket client) {
        try {
            client.setTcpNoDelay(true);
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            server.setTcpNoDelay(true);
            Line line = new Line(client, server);
            lines.add(line);
            line.dead = dead;
            thread(() -> line.pass(client, server));
            thread(() -> line.pass(server, client));
        } catch (IOException ex) {
            // the server is away: as if nobody listened
            close(client);
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
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private final class Line {

        private final Socket client;
        private final Socket server;
        private volatile boolean dead;

        Line(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void pass(Socket from, Socket to) {
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] bytes = new byte[16_384];
                for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                    if (!dead) {
                        out.write(bytes, 0, length);
                    }
                }
            } catch (IOException ex) {
                // one side is gone
            }
            close(from);
            if (!dead) {
                close(to);
            }
            // of a dead one the other side is closed when it heals: a goodbye is swallowed like the rest
            if (client.isClosed() && server.isClosed()) {
                lines.remove(this);
            }
        }
    }
}
