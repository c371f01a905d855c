package dev.jobqueue.internal.node;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of this host, looked up once: the resolver may be slow. */
final class HostName {

    static final String VALUE = find();

    private HostName() {}

    private static String find() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return "unknown";
        }
    }
}
