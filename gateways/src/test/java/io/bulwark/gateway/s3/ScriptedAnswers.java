package io.bulwark.gateway.s3;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.function.Function;

/** Objects of the SDK's interfaces that answer the few methods a test needs. */
public final class ScriptedAnswers {
    private ScriptedAnswers() {}

    /** Returns an object whose methods answer by name and number of arguments, as {@code head/2}. */
    public static <T> T of(Class<T> type, Map<String, Function<Object[], Object>> answers) {
        InvocationHandler handler = (proxy, method, given) -> {
            Object[] arguments = given == null ? new Object[0] : given;
            Function<Object[], Object> answer = answers.get(method.getName() + "/" + arguments.length);
            if (answer != null) {
                return answer.apply(arguments);
            }
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            throw new AssertionError("unexpected call of " + method);
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
