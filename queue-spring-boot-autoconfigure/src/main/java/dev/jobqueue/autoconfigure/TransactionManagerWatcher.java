package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.db.CallersTransaction;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Watches each transaction manager of the application, also one that is lazy or that Boot did not make, and those of
 * parent contexts.
 */
final class TransactionManagerWatcher
        implements BeanPostProcessor, BeanFactoryAware, PriorityOrdered, SmartInitializingSingleton {

    private @Nullable ListableBeanFactory beans;

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            CallersTransaction.watch(manager);
        }
        return bean;
    }

    @Override
    public void setBeanFactory(BeanFactory beans) {
        this.beans = beans instanceof ListableBeanFactory listable ? listable : null;
        if (beans instanceof HierarchicalBeanFactory child
                && child.getParentBeanFactory() instanceof ListableBeanFactory parent) {
            BeanFactoryUtils.beansOfTypeIncludingAncestors(parent, ConfigurableTransactionManager.class, true, false)
                    .values()
                    .forEach(CallersTransaction::watch);
        }
    }

    /** Watches managers that were made before this post-processor, because another post-processor needed them. */
    @Override
    public void afterSingletonsInstantiated() {
        if (beans instanceof SingletonBeanRegistry made) {
            for (String name : beans.getBeanNamesForType(ConfigurableTransactionManager.class, false, false)) {
                if (made.getSingleton(name) instanceof ConfigurableTransactionManager manager) {
                    CallersTransaction.watch(manager);
                }
            }
        }
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }
}
