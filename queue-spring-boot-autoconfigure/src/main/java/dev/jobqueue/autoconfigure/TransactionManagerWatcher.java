package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.store.CallersTransaction;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Watches each transaction manager of the application, also one that is lazy or that Boot did not make. */
final class TransactionManagerWatcher implements BeanPostProcessor, PriorityOrdered {

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            CallersTransaction.watch(manager);
        }
        return bean;
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }
}
