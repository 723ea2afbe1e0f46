package io.bulwark.gateway.s3.signature;

/**
 * Day, region and service that a signing key is for.
 *
 * @param day as 20130524
 */
record CredentialScope(String day, String region) {
    static final String SERVICE = "s3";
    static final String TERMINATION = "aws4_request";

    /** Returns the form that is signed. */
    String text() {
        return day + "/" + region + "/" + SERVICE + "/" + TERMINATION;
    }
}
