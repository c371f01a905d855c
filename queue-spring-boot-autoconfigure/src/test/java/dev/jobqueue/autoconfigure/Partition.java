package dev.jobqueue.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A bean that can cut a node off from its database, and heal it again. */
final class Partition implements BeanPostProcessor {

    private volatile boolean cut;

    void cut() {
        cut = true;
    }

    void heal() {
        cut = false;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        return bean instanceof DataSource dataSource ? new Cuttable(dataSource) : bean;
    }

    private final class Cuttable extends DelegatingDataSource {

        Cuttable(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (cut) {
                throw new SQLTransientConnectionException("cut off");
            }
            return super.getConnection();
        }
    }
}
