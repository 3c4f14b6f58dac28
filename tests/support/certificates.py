"""Certificates for the tests, as files: an authority, and what it signs."""

import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def authority(folder: Path, name: str) -> Path:
    """The certificate of a new authority; its key lies beside it."""
    certificate(folder, name, name)
    return folder / f"{name}.pem"


def certificate(folder: Path, name: str, signer: str, password: bytes | None = None) -> tuple[Path, Path]:
    """A new certificate, signed by an authority in the same folder, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer, issuer_key = subject, key
    if signer != name:
        issuer = x509.load_pem_x509_certificate((folder / f"{signer}.pem").read_bytes()).subject
        key_of_signer = serialization.load_pem_private_key((folder / f"{signer}.key").read_bytes(), None)
        assert isinstance(key_of_signer, ec.EllipticCurvePrivateKey)
        issuer_key = key_of_signer
    now = datetime.datetime.now(datetime.UTC)
    content = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=signer == name, path_length=None), critical=True)
        .sign(issuer_key, hashes.SHA256())
    )
    lock = serialization.NoEncryption() if password is None else serialization.BestAvailableEncryption(password)
    files = folder / f"{name}.pem", folder / f"{name}.key"
    files[0].write_bytes(content.public_bytes(serialization.Encoding.PEM))
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    files[1].write_bytes(key.private_bytes(pem, pkcs8, lock))
    return files
