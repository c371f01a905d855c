package kotlin.coroutines;

/** Stands for the type that the Kotlin compiler appends to the parameters of a suspend function. */
public interface Continuation<T> {}
