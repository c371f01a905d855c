package dev.jobqueue.test;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The persistence contexts of the calling thread's transaction, where the application has JPA. */
final class PersistenceContexts {

    private static final boolean JPA = ClassUtils.isPresent(
                    "jakarta.persistence.EntityManager", PersistenceContexts.class.getClassLoader())
            && ClassUtils.isPresent(
                    "org.springframework.orm.jpa.EntityManagerHolder", PersistenceContexts.class.getClassLoader());

    private PersistenceContexts() {}

    /** Writes to the database what is only in memory yet. */
    static void flush() {
        if (JPA) {
            Jpa.forEach(EntityManager::flush);
        }
    }

    /** Forgets entities that may be in a state that was rolled back. */
    static void clear() {
        if (JPA) {
            Jpa.forEach(EntityManager::clear);
        }
    }

    /** Apart, so that nothing of JPA is loaded where there is none. */
    private static final class Jpa {

        private Jpa() {}

        static void forEach(Consumer<EntityManager> action) {
            if (!TransactionSynchronizationManager.isActualTransactionActive()) {
                return;
            }
            Map<Object, Object> resources = TransactionSynchronizationManager.getResourceMap();
            List.copyOf(resources.values()).forEach(each -> {
                // one whose transaction has ended stays bound while the callbacks after the commit run
                if (each instanceof EntityManagerHolder holder
                        && holder.getEntityManager().isJoinedToTransaction()) {
                    action.accept(holder.getEntityManager());
                }
            });
        }
    }
}
