package dev.jobqueue.survival.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** An application that takes every connection of its pool, and gives them back much later. */
final class PoolHog {

    private final HikariDataSource pool;

    PoolHog(HikariDataSource pool) {
        this.pool = pool;
    }

    void feast(Duration time) {
        Thread thread = new Thread(() -> eat(System.nanoTime() + time.toNanos()), "pool-hog");
        thread.setDaemon(true);
        thread.start();
    }

    private void eat(long deadline) {
        List<Connection> taken = new ArrayList<>();
        while (deadline - System.nanoTime() > 0) {
            if (taken.size() < pool.getMaximumPoolSize()) {
                take(taken);
            } else {
                LockSupport.parkNanos(deadline - System.nanoTime());
            }
        }
        taken.forEach(PoolHog::giveBack);
    }

    private void take(List<Connection> taken) {
        try {
            taken.add(pool.getConnection());
        } catch (SQLException ex) {
            // the jobs were quicker; once more
        }
    }

    private static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException ex) {
            // broken meanwhile
        }
    }
}
