package io.bulwark.gateway.s3.setting;

/** Names of the documents that this gateway keeps in a bucket's settings. */
public enum SettingName {
    /** As {@link AccessRules} writes it. */
    ACCESS("s3-access"),
    /** As the request had it. */
    POLICY("s3-policy"),
    CORS("s3-cors"),
    LIFECYCLE("s3-lifecycle"),
    TAGGING("s3-tagging");

    private final String text;

    SettingName(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
