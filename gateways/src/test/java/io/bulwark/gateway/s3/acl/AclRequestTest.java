package io.bulwark.gateway.s3.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.protocol.id.PrincipalId;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AclRequestTest {
    private static final String OWNER = "client-1";
    private static final Optional<PrincipalId> OTHER = Optional.of(PrincipalId.client(2));

    @Test
    void cannedListsGrantWhatTheirNamesSay() {
        AccessControlList publicRead = AclRequest.canned("public-read", OWNER, OWNER);
        assertThat(publicRead.allows(Optional.empty(), Permission.READ)).isTrue();
        assertThat(publicRead.allows(OTHER, Permission.WRITE)).isFalse();
        assertThat(publicRead.isPublic()).isTrue();
        AccessControlList authenticated = AclRequest.canned("authenticated-read", OWNER, OWNER);
        assertThat(authenticated.allows(Optional.empty(), Permission.READ)).isFalse();
        assertThat(authenticated.allows(OTHER, Permission.READ)).isTrue();
        AccessControlList toBucketOwner = AclRequest.canned("bucket-owner-read", OWNER, "client-2");
        assertThat(toBucketOwner.allows(OTHER, Permission.READ)).isTrue();
        assertThat(toBucketOwner.allows(OTHER, Permission.READ_ACP)).isFalse();
        assertThatThrownBy(() -> AclRequest.canned("bogus", OWNER, OWNER)).isInstanceOf(S3Exception.class);
    }

    @Test
    void listsReturnFromTheirShortForm() {
        for (String name : new String[] {"private", "public-read-write", "authenticated-read"}) {
            AccessControlList list = AclRequest.canned(name, OWNER, OWNER);
            assertThat(AccessControlList.ofText(list.toText())).isEqualTo(list);
        }
        assertThatThrownBy(() -> AccessControlList.ofText("9client-1")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void documentsReturnUnchanged() {
        AccessControlList list = AclRequest.canned("public-read", OWNER, OWNER);
        assertThat(AclRequest.fromDocument(AclRequest.document(OWNER, list), OWNER))
                .isEqualTo(list);
        assertThatThrownBy(() -> AclRequest.fromDocument(AclRequest.document("client-2", list), OWNER))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo("AccessDenied"));
        String email = "<AccessControlPolicy><AccessControlList><Grant><Grantee><EmailAddress>a@b</EmailAddress>"
                + "</Grantee><Permission>READ</Permission></Grant></AccessControlList></AccessControlPolicy>";
        assertThatThrownBy(() -> AclRequest.fromDocument(email.getBytes(StandardCharsets.UTF_8), OWNER))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo("UnresolvableGrantByEmailAddress"));
    }
}
