package io.bulwark.console;

import io.bulwark.client.AccessKeys;
import io.bulwark.client.Alarms;
import io.bulwark.client.AuditLog;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Faults;
import io.bulwark.client.FaultyNodes;
import io.bulwark.client.Nodes;
import io.bulwark.client.Principals;
import io.bulwark.client.Releases;
import io.bulwark.client.Replicas;
import io.bulwark.client.Webhooks;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** A client of which a test gives only the parts that it needs; the others fail. */
public final class FakeCluster {
    private final Map<String, Supplier<?>> parts = new HashMap<>();

    public FakeCluster with(Principals principals) {
        parts.put("principals", () -> principals);
        return this;
    }

    public FakeCluster with(AccessKeys accessKeys) {
        parts.put("accessKeys", () -> accessKeys);
        return this;
    }

    public FakeCluster with(Webhooks webhooks) {
        parts.put("webhooks", () -> webhooks);
        return this;
    }

    public FakeCluster with(AuditLog audit) {
        parts.put("audit", () -> audit);
        return this;
    }

    public FakeCluster with(Faults faults) {
        parts.put("faults", () -> faults);
        return this;
    }

    public FakeCluster with(FaultyNodes faultyNodes) {
        parts.put("faultyNodes", () -> faultyNodes);
        return this;
    }

    public FakeCluster with(Alarms alarms) {
        parts.put("alarms", () -> alarms);
        return this;
    }

    public FakeCluster with(Supplier<ClusterStatus> status) {
        parts.put("status", status);
        return this;
    }

    public FakeCluster with(Nodes nodes) {
        parts.put("nodes", () -> nodes);
        return this;
    }

    public FakeCluster with(Replicas replicas) {
        parts.put("replicas", () -> replicas);
        return this;
    }

    public FakeCluster with(Releases releases) {
        parts.put("releases", () -> releases);
        return this;
    }

    /** Makes each part fail, as when too few replicas answer. */
    public FakeCluster unreachable() {
        parts.replaceAll((_, _) -> () -> {
            throw new UnavailableException("only 1 of 4 replicas answers", Subject.NONE);
        });
        return this;
    }

    public Bulwark client() {
        return (Bulwark) Proxy.newProxyInstance(
                Bulwark.class.getClassLoader(), new Class<?>[] {Bulwark.class}, (proxy, method, _) -> {
                    if (method.getName().equals("onBehalfOf")) {
                        return proxy;
                    }
                    Supplier<?> part = parts.get(method.getName());
                    if (part == null) {
                        throw new UnsupportedOperationException("the test gives no " + method.getName());
                    }
                    return part.get();
                });
    }
}
