package io.bulwark.client.config;

/** Settings of a client's file, as {@link ClientConfig} reads it. The reference page is generated from them. */
public enum ClientSetting {
    PRINCIPAL("principal", "", "Name of the client, such as `client-1`."),
    KEY_RING("key-ring", "none", "Key ring; required with `insecure-loopback`."),
    IDENTITY("identity", "", "Key and certificate (PEM), or a PKCS#11 file; not with `insecure-loopback`."),
    GENESIS("genesis", "", "Genesis file of the cluster; not with `insecure-loopback`."),
    INSECURE_LOOPBACK("insecure-loopback", "false", "Plain text instead of TLS, on loopback alone."),
    FAULTY_REPLICAS("faulty-replicas", "", "f of the metadata replicas."),
    REPLICA("replica.N", "", "Address of replica N, for each N from 0 to 3f."),
    BYTES_IN_FLIGHT_MAX(
            "bytes-in-flight-max",
            "a sixteenth of the heap, at least 4194304 and at most 67108864",
            "Bytes of blocks that all operations together have in flight, at least 1048576."),
    LOCKING("locking", "auto", "`auto`: the client locks parts of the namespace that it uses alone; `off`."),
    INLINE("inline", "4096", "Bytes of an object up to which it stands in the metadata, at most 8192; `0`: none does."),
    ENCRYPT_WITH("encrypt-with", "none", "PKCS#12 file with keys: encrypts all objects of the client."),
    ENCRYPT_KEY("encrypt-key", "the only one", "Name of the key for new objects."),
    ENCRYPT_PASSWORD_FILE(
            "encrypt-password-file",
            "`$BULWARK_ENCRYPT_PASSWORD`",
            "File of mode 0600 whose first line is the password of the PKCS#12 file.");

    private final String key;
    private final String standard;
    private final String description;

    ClientSetting(String key, String standard, String description) {
        this.key = key;
        this.standard = standard;
        this.description = description;
    }

    /** Name in the file. */
    public String key() {
        return key;
    }

    /** The default in words; empty if the setting is required. */
    public String standard() {
        return standard;
    }

    public String description() {
        return description;
    }
}
