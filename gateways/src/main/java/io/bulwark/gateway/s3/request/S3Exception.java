package io.bulwark.gateway.s3.request;

/** Refusal of a request, with the error code that clients of S3 know. */
public final class S3Exception extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;
    private final int status;

    /**
     * Creates one.
     *
     * @param code as S3 documents it, {@code NoSuchKey}
     * @param status of HTTP
     */
    public S3Exception(int status, String code, String message) {
        super(message);
        this.code = code;
        this.status = status;
    }

    public String code() {
        return code;
    }

    public int status() {
        return status;
    }
}
