package io.bulwark.appliance.boot;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Sections of role files: a record for each, whose components are the keys. Files are bound to them, unknown keys are
 * refused by them, and the reference page of the configuration is generated from them.
 */
public final class RoleSections {
    static final String NODE = "node";
    static final String REPLICA = "replica";
    static final String SUPERVISOR = "supervisor";
    static final String CONSOLE = "console";
    static final String S3 = "s3";

    private RoleSections() {}

    /** Describes a key of a section. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.PARAMETER)
    @interface Key {
        String value();

        /** The default in words, where it follows from other keys; without it and a {@link DefaultValue} the key is required. */
        String otherwise() default "";
    }

    /**
     * A key of a section.
     *
     * @param name as a file has it
     * @param standard the default; empty if the key is required
     */
    public record DeclaredKey(String name, Class<?> type, String standard, String description) {
        public boolean isRequired() {
            return standard.isEmpty();
        }
    }

    /** Returns the keys of each section, in the order in which people write them. */
    public static Map<String, List<DeclaredKey>> all() {
        Map<String, List<DeclaredKey>> all = new LinkedHashMap<>();
        all.put(NODE, keys(Node.class));
        all.put(REPLICA, keys(Replica.class));
        all.put(SUPERVISOR, keys(Supervisor.class));
        all.put(CONSOLE, keys(Console.class));
        all.put(S3, keys(S3.class));
        return all;
    }

    static List<DeclaredKey> keys(Class<?> section) {
        List<DeclaredKey> keys = new ArrayList<>();
        RecordComponent[] components = section.getRecordComponents();
        Parameter[] parameters = section.getDeclaredConstructors()[0].getParameters();
        for (int i = 0; i < components.length; i++) {
            Key key = Objects.requireNonNull(parameters[i].getAnnotation(Key.class), components[i].getName());
            DefaultValue standard = parameters[i].getAnnotation(DefaultValue.class);
            keys.add(new DeclaredKey(
                    components[i].getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT),
                    components[i].getType(),
                    standard == null ? key.otherwise() : standard.value()[0],
                    key.value()));
        }
        return keys;
    }

    // Not private: Spring binds no record whose constructor is.
    record Node(
            @Key("N of node-N.") @Nullable Integer number,
            @Key("Address where it listens.") @Nullable String listen,

            @Key(value = "Address of health and metrics over HTTP, without a login.", otherwise = "none") @Nullable
            String admin,

            @Key("Directory of its data.") @Nullable String data,

            @Key("Key ring from `init` or `join`.") @Nullable
            String keys,

            @Key("Key and certificate (PEM), or a PKCS#11 file; not with `insecure-loopback`.") @Nullable
            String identity,

            @Key("Genesis file of the cluster; not with `insecure-loopback`.") @Nullable
            String genesis,

            @Key("Plain text instead of TLS, on loopback alone.") @DefaultValue("false")
            Boolean insecureLoopback,

            @Key("Addresses of the replicas, by number.") @Nullable
            List<String> replicas,

            @Key("`sync`, `interval` or `none`; all but `sync` can lose acknowledged data.") @DefaultValue("sync")
            String durability,

            @Key("Bytes per second that the background scrub reads while no client waits; 0 is never.")
            @DefaultValue("8MB")
            DataSize scrubRate,

            @Key("Bytes of fragments per second that it rebuilds, at least 64KB.") @DefaultValue("32MB")
            DataSize rebuildRate,

            @Key("Bytes of archived segments per second that it reads while idle, to hand out what writes left out.")
            @DefaultValue("16MB")
            DataSize disseminateRate,

            @Key(value = "Bytes for unverified versions under PASIS.", otherwise = "by the number of clients") @Nullable
            DataSize historyPool,

            @Key("Time in memory of such a version before it is written, where the durability allows it.")
            @DefaultValue("2s")
            Duration writeBack,

            @Key("Maximum age of the MAC keys between nodes: at least 2s, and well longer than a write.")
            @DefaultValue("10m")
            Duration keyPeriod) {}

    record Replica(
            @Key("N of replica-N.") @Nullable Integer number,

            @Key(
                    value = "Address where it listens; required of a replica that is not in the genesis.",
                    otherwise = "its place in `replicas`")
            @Nullable
            String listen,

            @Key(value = "As of a node.", otherwise = "none") @Nullable
            String admin,

            @Key("Directory of its data.") @Nullable String data,

            @Key(value = "Key ring; required with `insecure-loopback`.", otherwise = "none") @Nullable
            String keys,

            @Key("As of a node.") @Nullable String identity,
            @Key("As of a node.") @Nullable String genesis,

            @Key("As of a node.") @DefaultValue("false") Boolean insecureLoopback,

            @Key("Addresses of the replicas of the genesis, by number; the same at all replicas.") @Nullable
            List<String> replicas,

            @Key("Addresses of the nodes, by number; the same at all replicas.") @Nullable
            List<String> nodes,

            @Key("Number of clients whose keys are in the genesis; the same at all replicas.") @Nullable
            Integer clients,

            @Key("`bft` or `bft-smart`; the same at all replicas.") @Nullable
            String ordering,

            @Key("T_w, the time between two recoveries: at least 30s, the same at all replicas.") @DefaultValue("10m")
            Duration watchdogPeriod,

            @Key(
                    value = "T_k, the maximum age of session keys between replicas: at least 15s, at most T_w.",
                    otherwise = "the shorter of 60s and T_w")
            @Nullable
            Duration keyPeriod,

            @Key(
                    value = "Time after which the recovery of another replica raises the alarm `SLOW`.",
                    otherwise = "T_w / 5")
            @Nullable
            Duration slowRecovery) {}

    record Supervisor(
            @Key(value = "As of a node.", otherwise = "none") @Nullable
            String admin,

            @Key(
                    value = "Directory of `control.sock` and of the keys that the supervisor knows.",
                    otherwise = "that of the replica")
            @Nullable
            String data,

            @Key("`off`: it restarts a replica that dies, unless it was removed from the group, and does no more.")
            @DefaultValue("on")
            Boolean recovery,

            @Key(value = "Jar from which the replica is started.", otherwise = "the supervisor's own") @Nullable
            String release) {}

    record Console(
            @Key("Address where it listens.") @Nullable String listen,

            @Key(value = "As of a node.", otherwise = "none") @Nullable
            String admin,

            @Key("May listen elsewhere than on loopback without TLS: something before it admits people.")
            @DefaultValue("false")
            Boolean published,

            @Key("Its client's file, as below.") @Nullable String client,

            @Key("Directory of its accounts, which only its owner enters.") @DefaultValue("console")
            String data,

            @Key(
                    value = "URL that people open, if it is not the address: behind a proxy, or by a name.",
                    otherwise = "none")
            @Nullable
            String url,

            @Key(value = "Certificate chain (PEM) for TLS; `identity` is that of its client.", otherwise = "none")
            @Nullable
            String certificate,

            @Key(value = "Private key of the certificate (PEM).", otherwise = "the file of the certificate") @Nullable
            String certificateKey,

            @Key(
                    value = "URL of a Prometheus that scrapes the members, for history beyond an hour.",
                    otherwise = "none")
            @Nullable
            String prometheus,

            @Key(
                    value = "URL of a collector that takes traces: OTLP over HTTP, such as"
                            + " `http://127.0.0.1:4318/v1/traces`.",
                    otherwise = "none")
            @Nullable
            String traces,

            @Key(
                    value = "PKCS#11 file of a device at this machine, whose PIN its operator types to sign in.",
                    otherwise = "none")
            @Nullable
            String keyDevice,

            @Key(value = "OpenID Connect provider that signs people in.", otherwise = "none") @Nullable
            String oidcIssuer,

            @Key(value = "Client id at the provider; required with it.", otherwise = "none") @Nullable
            String oidcClient,

            @Key(
                    value = "File with the client's secret in its first line; required with a provider.",
                    otherwise = "none")
            @Nullable
            String oidcSecret,

            @Key("Claim whose values give roles.") @DefaultValue("roles")
            String oidcClaim,

            @Key(value = "Values of the claim that make viewers.", otherwise = "none") @Nullable
            List<String> oidcViewers,

            @Key(value = "Values of the claim that make operators.", otherwise = "none") @Nullable
            List<String> oidcOperators,

            @Key(value = "Values of the claim that make administrators.", otherwise = "none") @Nullable
            List<String> oidcAdministrators) {}

    record S3(
            @Key("Address where it listens.") @Nullable String listen,

            @Key(value = "As of a node.", otherwise = "none") @Nullable
            String admin,

            @Key("May listen elsewhere than on loopback without TLS: a balancer or the like before it has it.")
            @DefaultValue("false")
            Boolean published,

            @Key("Its client's file, as below.") @Nullable String client,

            @Key(value = "Certificate chain (PEM) for TLS; `identity` is that of its client.", otherwise = "none")
            @Nullable
            String certificate,

            @Key(value = "Private key of the certificate (PEM).", otherwise = "the file of the certificate") @Nullable
            String certificateKey,

            @Key(value = "Names of its hosts: requests to BUCKET.NAME are for that bucket.", otherwise = "none")
            @Nullable
            List<String> domains) {}
}
