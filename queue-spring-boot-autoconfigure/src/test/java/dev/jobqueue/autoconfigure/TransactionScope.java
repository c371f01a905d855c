package dev.jobqueue.autoconfigure;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Where a caller can be when it publishes; {@code rollback} says how the transactions around it end. */
enum TransactionScope {
    NO_TRANSACTION(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            action.run();
        }
    },
    REQUIRED(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            in(managers.ours(), TransactionDefinition.PROPAGATION_REQUIRED, rollback, action);
        }
    },
    SUPPORTS(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            in(managers.ours(), TransactionDefinition.PROPAGATION_SUPPORTS, rollback, action);
        }
    },
    /** The scope keeps the connection of its first query. */
    SUPPORTS_AFTER_A_QUERY(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            SUPPORTS.run(managers, rollback, managers.query().andThen(action));
        }
    },
    NOT_SUPPORTED(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            REQUIRED.run(
                    managers,
                    rollback,
                    () -> in(managers.ours(), TransactionDefinition.PROPAGATION_NOT_SUPPORTED, rollback, action));
        }
    },
    REQUIRES_NEW(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            REQUIRED.run(
                    managers,
                    !rollback,
                    () -> in(managers.ours(), TransactionDefinition.PROPAGATION_REQUIRES_NEW, rollback, action));
        }
    },
    NESTED(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            REQUIRED.run(
                    managers,
                    false,
                    () -> in(managers.ours(), TransactionDefinition.PROPAGATION_NESTED, rollback, action));
        }
    },
    AFTER_A_NESTED_ONE(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            REQUIRED.run(managers, rollback, () -> {
                in(managers.ours(), TransactionDefinition.PROPAGATION_NESTED, false, managers.query());
                action.run();
            });
        }
    },
    READ_ONLY(Outcome.REFUSED) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            TransactionTemplate template = new TransactionTemplate(managers.ours());
            template.setReadOnly(true);
            template.executeWithoutResult(status -> action.run());
        }
    },
    BEFORE_COMMIT(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            try {
                REQUIRED.run(
                        managers,
                        false,
                        () -> register(new TransactionSynchronization() {
                            @Override
                            public void beforeCommit(boolean readOnly) {
                                action.run();
                                if (rollback) {
                                    throw new RolledBack();
                                }
                            }
                        }));
            } catch (RolledBack ex) {
                // as asked for
            }
        }
    },
    AFTER_COMMIT(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            REQUIRED.run(managers, false, () -> register(afterCommit(action)));
        }
    },
    REQUIRES_NEW_AFTER_COMMIT(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            AFTER_COMMIT.run(
                    managers,
                    false,
                    () -> in(managers.ours(), TransactionDefinition.PROPAGATION_REQUIRES_NEW, rollback, action));
        }
    },
    /** A transactional service called by a listener: it takes part in a transaction that has committed already. */
    REQUIRED_AFTER_COMMIT(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            AFTER_COMMIT.run(managers, false, () -> REQUIRED.run(managers, false, action));
        }
    },
    AFTER_COMPLETION(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            REQUIRED.run(
                    managers,
                    rollback,
                    () -> register(new TransactionSynchronization() {
                        @Override
                        public void afterCompletion(int status) {
                            action.run();
                        }
                    }));
        }
    },
    /** What a {@code @TransactionalEventListener} in its default phase does that calls a transactional service. */
    REQUIRED_AFTER_COMPLETION(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            AFTER_COMPLETION.run(managers, rollback, () -> REQUIRED.run(managers, false, action));
        }
    },
    SUPPORTS_AFTER_COMPLETION(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            AFTER_COMPLETION.run(managers, rollback, () -> SUPPORTS.run(managers, false, action));
        }
    },
    OTHER_MANAGER_AFTER_COMPLETION(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            AFTER_COMPLETION.run(managers, rollback, () -> OTHER_MANAGER.run(managers, false, action));
        }
    },
    OTHER_MANAGER(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            in(managers.other(), TransactionDefinition.PROPAGATION_REQUIRED, rollback, action);
        }
    },
    /** Spring binds the connection of the query to the other manager's transaction, which does not commit it. */
    OTHER_MANAGER_AFTER_A_QUERY(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            OTHER_MANAGER.run(managers, rollback, managers.query().andThen(action));
        }
    },
    OURS_WITHIN_ANOTHER(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            OTHER_MANAGER.run(managers, rollback, () -> REQUIRED.run(managers, rollback, action));
        }
    },
    ANOTHER_WITHIN_OURS(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            REQUIRED.run(managers, rollback, () -> OTHER_MANAGER.run(managers, false, action));
        }
    },
    AFTER_COMMIT_OF_ANOTHER_WITHIN_OURS(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            REQUIRED.run(
                    managers, rollback, () -> OTHER_MANAGER.run(managers, false, () -> register(afterCommit(action))));
        }
    },
    JPA(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            in(managers.jpa(), TransactionDefinition.PROPAGATION_REQUIRED, rollback, action);
        }
    },
    JPA_REQUIRED_AFTER_COMPLETION(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            JPA.run(
                    managers,
                    rollback,
                    () -> register(new TransactionSynchronization() {
                        @Override
                        public void afterCompletion(int status) {
                            JPA.run(managers, false, action);
                        }
                    }));
        }
    },
    /** A transaction of JDBC's manager on the connection that JPA's manager has bound. */
    JDBC_WITHIN_JPA(Outcome.JOINS) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            JPA.run(managers, rollback, () -> REQUIRED.run(managers, rollback, action));
        }
    },
    JPA_AFTER_COMMIT(Outcome.APART) {
        @Override
        void run(Managers managers, boolean rollback, Runnable action) {
            JPA.run(managers, false, () -> register(afterCommit(action)));
        }
    };

    private final Outcome outcome;

    TransactionScope(Outcome outcome) {
        this.outcome = outcome;
    }

    Outcome outcome() {
        return outcome;
    }

    abstract void run(Managers managers, boolean rollback, Runnable action);

    private static void in(PlatformTransactionManager manager, int propagation, boolean rollback, Runnable action) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        template.executeWithoutResult(status -> {
            action.run();
            if (rollback) {
                status.setRollbackOnly();
            }
        });
    }

    private static TransactionSynchronization afterCommit(Runnable action) {
        return new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        };
    }

    private static void register(TransactionSynchronization synchronization) {
        TransactionSynchronizationManager.registerSynchronization(synchronization);
    }

    /** What becomes of a job that is published there. */
    public enum Outcome {
        JOINS,
        APART,
        REFUSED
    }

    /**
     * The managers of one application.
     *
     * @param ours of the queue's DataSource, by JDBC
     * @param other of another DataSource
     * @param jpa of the queue's DataSource, by JPA
     * @param query uses the queue's DataSource
     */
    record Managers(
            PlatformTransactionManager ours,
            PlatformTransactionManager other,
            PlatformTransactionManager jpa,
            Query query) {}

    /** Uses a connection. */
    interface Query extends Runnable {
        default Runnable andThen(Runnable next) {
            return () -> {
                run();
                next.run();
            };
        }
    }

    private static final class RolledBack extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
