package io.bulwark.metadata.bftsmart;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * Objects of library classes whose constructors would open sockets: made as deserialization makes them, without running
 * a constructor, and given the few fields that are used.
 */
final class Instantiator {
    private Instantiator() {}

    static <T> T make(Class<T> type) {
        try {
            Class<?> factoryClass = Class.forName("sun.reflect.ReflectionFactory");
            Object factory = factoryClass.getMethod("getReflectionFactory").invoke(null);
            Method maker = factoryClass.getMethod("newConstructorForSerialization", Class.class, Constructor.class);
            Object constructor = maker.invoke(factory, type, Object.class.getConstructor());
            return type.cast(((Constructor<?>) constructor).newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make a " + type.getName(), e);
        }
    }

    static void set(Class<?> declaring, Object target, String field, Object value) {
        try {
            Field found = declaring.getDeclaredField(field);
            found.setAccessible(true);
            found.set(target, value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(declaring.getName() + " has no " + field, e);
        }
    }
}
