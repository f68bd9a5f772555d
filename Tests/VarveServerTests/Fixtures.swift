#if CommandLine && Server
/// Certificates and keys that only tests use, valid for a hundred years.
enum Fixtures {
  /// A certificate of localhost that vouches for itself.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBmzCCAUGgAwIBAgIUMEaU3eHUlAiHFC4Yxj8L5wGlD6EwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjIwMTUwNFoYDzIxMjYxMDI5
    MjAxNTA0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAT8WNVroKYZ62PnB4Bchzd2YPKLA/ii0E3u5Nc2pyO96v3TxQoszNiI
    LMCLpcrIDZQziiLTprGLjjylhjbWdOGGo28wbTAdBgNVHQ4EFgQUk0IFhfaS+SA0
    i0Ff1eQ0ECxExeMwHwYDVR0jBBgwFoAUk0IFhfaS+SA0i0Ff1eQ0ECxExeMwDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDSAAwRQIhALG5hUBkYCmzcI7fbTOUEyG2bkZWBYpCH+Z7O0Vau8SrAiBX
    oqm+TP/oc8HRBgcbji9mEMkWZaTcNGeYlOsYTBLXVw==
    -----END CERTIFICATE-----

    """
  /// Its key.
  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEJVDkyF1w6fJerym
    dpLHlQFVYChUxZPXq/Ss7Uobw4GhRANCAAT8WNVroKYZ62PnB4Bchzd2YPKLA/ii
    0E3u5Nc2pyO96v3TxQoszNiILMCLpcrIDZQziiLTprGLjjylhjbWdOGG
    -----END PRIVATE KEY-----

    """
  /// Another one.
  static let otherCertificate = """
    -----BEGIN CERTIFICATE-----
    MIIBnDCCAUGgAwIBAgIUR4eNW918GLYsLHoAD1hlGJIM9RYwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjIwMTUwNFoYDzIxMjYxMDI5
    MjAxNTA0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAQ/wdkUrL3GwrMX6zVpRI2bc0m/bIZKRk+TcJMmBNfZ/YZf3pzweF7h
    ofY+hNJ5oDODb0YwQPJBttS+DZ5PVKato28wbTAdBgNVHQ4EFgQULQYP2fjAXGc6
    ZgZ2f2FPv+gS0SQwHwYDVR0jBBgwFoAULQYP2fjAXGc6ZgZ2f2FPv+gS0SQwDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDSQAwRgIhAN2Tbmt67Ka6XY6b4Opyjav3VydqHSxoF+0meA/pUisJAiEA
    5B6XYg4b5Qo3Cdre3jXEEwjqG7Nz5Vkj72SRqKWiYVs=
    -----END CERTIFICATE-----

    """
  /// Its key.
  static let otherKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3QLdiVNel6ggBsSk
    yOGV4WYkx4FZje7M1ta6NryNB1ahRANCAAQ/wdkUrL3GwrMX6zVpRI2bc0m/bIZK
    Rk+TcJMmBNfZ/YZf3pzweF7hofY+hNJ5oDODb0YwQPJBttS+DZ5PVKat
    -----END PRIVATE KEY-----

    """
  /// A private key of RSA.
  static let rsa = """
    -----BEGIN PRIVATE KEY-----
    MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC/Uzz3M9BYE18V
    3wbfI70bdoRrh/KTj5fABOXlsLd0BxpLoTCBXoOsnD6qW2v2cXqeelHLZfPqOt6X
    8SogqqEX3zcMS9ncxofvy+hYmN3S7aIAdT08I2qKsil823DU6KLfUN4/joEZZ9kE
    /u2KrpLXfBxp4qPqKzFVezMbnZUbZto/pOA8gOQ1Yv45F+oots374hBLpJynCmRs
    WTkMG26NOvLFI1XQyKW1M1y38ILgp0UN2XYgF7UiUwZaCO33l/U6tcFu4Fr9vq/x
    qbf/qPz2KGqr4b0fW3YPtG5JfNEJMZsbQc807NaIjhQlyXyLhkDXrICD3hyEVq1Y
    mB9CAA17AgMBAAECggEAMR+zKJmSJfsbT+dKwWJQvMtqZp2qR/73bKMVUCtWfyEP
    vFlvtdfJoTkg0ebVSpqKbERl2f6caQiifIq8UVTeNd3nKW4USx5iasyFJLJjSjQf
    g1SW22kQgvoJsvg4+UGeCA6gcdsqBJboXuMBpLj8FP3V4c4CXi6m5RbT4YRNc5I8
    UuzTgbEBABszLDQ8rAEM8NISMpph2oBJQZPN8Wza/9Z/EbyZepTRN1ug1OqBr6LY
    shE2DXwgyQynXI0ACoL566X7oVSBvJmHLd+8x6MRmX/dXTs/fVoELNbXaxW3ckao
    1yayDdp1kmUEtnsHf6uOIEEHm9g826duY4TcAUeGEQKBgQDekrxdLd36yJAvyrFo
    Rw33T34W6OjOw6MapPT64sX9oDs+DX38rl6QRYRBzNpBiPGDm+lYo8nSsrzYuvo1
    Z0vTe1urk5nTKtOU6KR2Ddv7ufz4+Ch1jAisWo4IDtx0olZgEbdqxYcp4q9EYdK7
    dieI26hSuHVe5p+9PqrAw4HA8wKBgQDcDxwrwN8ltxAg2kYuJFR267G+/Eauw1DW
    KEGEcevOaxT9wSjSO3d9cwSmCe9gDooaR2MFopwEhucIUHk5ATKU3/TJ57+lNwzx
    sZLi/ZAxObaXGIE8nM8bFm0AfxnZWf/NbQOz6wfYa3iuRc0RtITkkDXHBz8qk+2G
    F+ZolCJjWQKBgQCTDLlciqhFP2tb1/v8HC3S/ncc5caijMjfGqssctVCqzFY3wsk
    /YNGqFcoLhLpB3QhcsnpoVT/Ws3AF1CmJdgIIlE/e6Y+yOW/VTELOj7kAk5ro3D/
    sIQucymxkzf96x9MG4hmB5k0iCsp78ONzRNzrUR5WptZFt/k5VllQAYjFwKBgG+T
    Zbg1ga8ww4e0xHKuzvjBBo2MghYoR/tdy+JolKRDnRAQeS8nIa3EvK2nSezNUm6C
    lY2M5khRUiDgFKa3mbrsVsRssboGUJTXcV+QKyUaWx7/OL/Pzh6w3zGqQCP5Qv8Y
    cBEwcPjlfPn3wENi4SK2j93LKdbfzEX6JkQOH+V5AoGBAMBk/piPKvsqHi4b+lFD
    cRBbmggmrQecsqAUREkqpzAusMXBto/GUBtHnHxRXRZCan07shoYz8Cd3oyAiRQa
    QVSTSThixLd4ulTCd/id1qDhANG8PHb6JvYMk/sUj0t/K0mbRIEHxcdfgMsVS3r3
    rkT9ySl6JYFvg7FOABZYrl9z
    -----END PRIVATE KEY-----

    """
  /// Its public key.
  static let rsaPublic = """
    -----BEGIN PUBLIC KEY-----
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAv1M89zPQWBNfFd8G3yO9
    G3aEa4fyk4+XwATl5bC3dAcaS6EwgV6DrJw+qltr9nF6nnpRy2Xz6jrel/EqIKqh
    F983DEvZ3MaH78voWJjd0u2iAHU9PCNqirIpfNtw1Oii31DeP46BGWfZBP7tiq6S
    13wcaeKj6isxVXszG52VG2baP6TgPIDkNWL+ORfqKLbN++IQS6ScpwpkbFk5DBtu
    jTryxSNV0MiltTNct/CC4KdFDdl2IBe1IlMGWgjt95f1OrXBbuBa/b6v8am3/6j8
    9ihqq+G9H1t2D7RuSXzRCTGbG0HPNOzWiI4UJcl8i4ZA16yAg94chFatWJgfQgAN
    ewIDAQAB
    -----END PUBLIC KEY-----

    """
}
#endif
