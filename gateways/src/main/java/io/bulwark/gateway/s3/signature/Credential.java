package io.bulwark.gateway.s3.signature;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Name of an access key and the scope of its signature, as requests carry them. */
record Credential(String keyId, CredentialScope scope) {
    private static final Pattern FORM = Pattern.compile("([A-Za-z0-9._-]{1,128})/([0-9]{8})/([A-Za-z0-9-]{1,64})/"
            + CredentialScope.SERVICE + "/" + CredentialScope.TERMINATION);

    /** Parses {@code id/20130524/us-east-1/s3/aws4_request}; empty if the text has another form. */
    static Optional<Credential> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? Optional.of(new Credential(matcher.group(1), new CredentialScope(matcher.group(2), matcher.group(3))))
                : Optional.empty();
    }
}
